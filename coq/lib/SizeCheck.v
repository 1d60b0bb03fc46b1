(** Deciding equations and inequations between sizes by polynomial normal form.

    [atom]          what monomials are products of: size variables, and parts of them
    [poly]          polynomials with integer coefficients, monomials sorted
    [norm]          normal form of a size
    [size_eqb]      equal normal forms; sound by [size_eqb_sound]
    [poly_nonneg]   every coefficient is non-negative, or becomes so after
                    one assumed fact is subtracted, or two that hold of the parts that
                    stand in it ([part_facts]); sound by [poly_nonneg_sound]
    [size_leb]      sound by [size_leb_sound] *)

From Coq Require Import ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size.
Import ListNotations.
Local Open Scope Z_scope.

(** Quotients and whether a block is started are atoms; what is left is a difference of others. *)
Inductive atom : Type :=
| AVar (v : nat)
| AQuot (v : nat) (d : positive)
| AStarted (v : nat) (d : positive).

Definition atom_eq_dec (a b : atom) : {a = b} + {a <> b}.
Proof. decide equality; first [apply Nat.eq_dec | apply Pos.eq_dec]. Defined.

Definition mono : Type := list atom.
Definition poly : Type := list (mono * Z).

Definition then_by (c d : comparison) : comparison := match c with Eq => d | _ => c end.

Definition atom_compare (a b : atom) : comparison :=
  match a, b with
  | AVar v, AVar w => Nat.compare v w
  | AVar _, _ => Lt
  | _, AVar _ => Gt
  | AQuot v d, AQuot w e => then_by (Nat.compare v w) (Pos.compare d e)
  | AQuot _ _, _ => Lt
  | _, AQuot _ _ => Gt
  | AStarted v d, AStarted w e => then_by (Nat.compare v w) (Pos.compare d e)
  end.

Fixpoint mono_compare (m n : mono) : comparison :=
  match m, n with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: m', y :: n' =>
      match atom_compare x y with Eq => mono_compare m' n' | c => c end
  end.

Fixpoint mono_insert (x : atom) (m : mono) : mono :=
  match m with
  | [] => [x]
  | y :: r => match atom_compare x y with Gt => y :: mono_insert x r | _ => x :: m end
  end.

Definition mono_mul (m n : mono) : mono := fold_right mono_insert n m.

Definition cons_term (m : mono) (c : Z) (p : poly) : poly :=
  if Z.eqb c 0 then p else (m, c) :: p.

Fixpoint add_term (m : mono) (c : Z) (p : poly) : poly :=
  match p with
  | [] => cons_term m c []
  | (n, d) :: r =>
      match mono_compare m n with
      | Eq => cons_term n (c + d) r
      | Lt => cons_term m c p
      | Gt => (n, d) :: add_term m c r
      end
  end.

Definition poly_add (p q : poly) : poly :=
  fold_right (fun t r => add_term (fst t) (snd t) r) q p.

Definition term_mul (m : mono) (c : Z) (p : poly) : poly :=
  fold_right (fun t r => add_term (mono_mul m (fst t)) (c * snd t) r) [] p.

Definition poly_mul (p q : poly) : poly :=
  fold_right (fun t r => poly_add (term_mul (fst t) (snd t) q) r) [] p.

Definition poly_const (c : Z) : poly := cons_term [] c [].

Definition poly_sub (p q : poly) : poly := poly_add p (term_mul [] (-1) q).

Definition poly_atom (a : atom) : poly := [([a], 1)].

(** What is left by d blocks of b, each as a polynomial. *)
Definition poly_left (a : poly) (d : positive) (b : poly) : poly := poly_sub a (term_mul [] (Zpos d) b).

Definition part_poly (p : part) (v : nat) : poly :=
  match p with
  | Quot d => poly_atom (AQuot v d)
  | Rem d => poly_left (poly_atom (AVar v)) d (poly_atom (AQuot v d))
  | Digit d c => poly_left (poly_atom (AQuot v d)) c (poly_atom (AQuot v (d * c)))
  | Started d => poly_atom (AStarted v d)
  end.

Fixpoint norm (s : size) : poly :=
  match s with
  | SVar v => poly_atom (AVar v)
  | SConst c => poly_const (Z.of_N c)
  | SAdd a b => poly_add (norm a) (norm b)
  | SMul a b => poly_mul (norm a) (norm b)
  | SPart p v => part_poly p v
  end.

Definition poly_eq_dec : forall p q : poly, {p = q} + {p <> q}.
Proof.
  apply list_eq_dec. decide equality.
  - apply Z.eq_dec.
  - apply list_eq_dec, atom_eq_dec.
Defined.

Definition size_eqb (a b : size) : bool :=
  if poly_eq_dec (norm a) (norm b) then true else false.

Definition coeffs_nonneg (p : poly) : bool := forallb (fun t => 0 <=? snd t) p.

Definition block (p : part) (d : positive) (v : nat) : size := SMul (SConst (Npos d)) (SPart p v).

(** True whatever the sizes: full blocks are no more than there is; what is left fits the block
    that is started, of which there is one at most. *)
Definition atom_facts (a : atom) : list fact :=
  match a with
  | AVar _ => []
  | AQuot v d => [(block (Quot d) d v, SVar v)]
  | AStarted v d => [(SPart (Rem d) v, block (Started d) d v); (block (Started d) d v, SConst (Npos d))]
  end.

(** Blocks of d that are left by larger ones. *)
Definition digit_facts (a b : atom) : list fact :=
  match a, b with
  | AQuot v d, AQuot w e =>
      match (Npos e / Npos d)%N with
      | Npos c => if (v =? w)%nat && (d * c =? e)%positive then [(block (Digit d c) d v, SConst (Npos e - Npos d))] else []
      | N0 => []
      end
  | _, _ => []
  end.

Definition part_facts (p : poly) : list fact :=
  let atoms := flat_map fst p in
  flat_map atom_facts atoms ++ flat_map (fun a => flat_map (digit_facts a) atoms) atoms.

Definition with_one (p : poly) (facts : list fact) : bool :=
  existsb
    (fun f => coeffs_nonneg (poly_sub p (poly_sub (norm (snd f)) (norm (fst f))))) facts.

Definition poly_nonneg (facts : list fact) (p : poly) : bool :=
  if coeffs_nonneg p then true else
  if with_one p facts then true else
  match part_facts p with
  | [] => false
  | parts =>
      if with_one p parts then true else
      existsb (fun f => with_one (poly_sub p (poly_sub (norm (snd f)) (norm (fst f)))) parts) parts
  end.

Definition size_leb (facts : list fact) (a b : size) : bool :=
  poly_nonneg facts (poly_sub (norm b) (norm a)).

Section SOUNDNESS.
  Context (sg : nat -> nat).

  Definition atom_val (a : atom) : nat :=
    match a with
    | AVar v => sg v
    | AQuot v d => part_val (Quot d) (sg v)
    | AStarted v d => part_val (Started d) (sg v)
    end.

  Definition mono_val (m : mono) : Z := fold_right (fun x r => Z.of_nat (atom_val x) * r) 1 m.
  Definition poly_val (p : poly) : Z :=
    fold_right (fun t r => mono_val (fst t) * snd t + r) 0 p.

  Lemma poly_val_cons m c p : poly_val ((m, c) :: p) = mono_val m * c + poly_val p.
  Proof. reflexivity. Qed.

  Lemma atom_compare_eq a b : atom_compare a b = Eq -> a = b.
  Proof.
    destruct a as [v|v d|v d], b as [w|w e|w e]; simpl; try discriminate;
      destruct (Nat.compare_spec v w) as [v_is| |]; try discriminate; simpl;
      try (destruct (Pos.compare_spec d e) as [d_is| |]; try discriminate); congruence.
  Qed.

  Lemma mono_compare_eq m : forall n, mono_compare m n = Eq -> m = n.
  Proof.
    induction m as [|x m IHm]; intros [|y n]; simpl; try discriminate; auto.
    destruct (atom_compare x y) eqn:order; try discriminate.
    intros same. rewrite (atom_compare_eq x y order), (IHm n same). reflexivity.
  Qed.

  Lemma mono_insert_val x m : mono_val (mono_insert x m) = Z.of_nat (atom_val x) * mono_val m.
  Proof.
    induction m as [|y m IHm]; [reflexivity|].
    assert (LATER : mono_val (y :: mono_insert x m) = Z.of_nat (atom_val x) * mono_val (y :: m)).
    { change (Z.of_nat (atom_val y) * mono_val (mono_insert x m)
              = Z.of_nat (atom_val x) * (Z.of_nat (atom_val y) * mono_val m)).
      rewrite IHm. ring. }
    cbn [mono_insert]. destruct (atom_compare x y); [reflexivity | reflexivity | exact LATER].
  Qed.

  Lemma mono_mul_val m n : mono_val (mono_mul m n) = mono_val m * mono_val n.
  Proof.
    unfold mono_mul. induction m as [|x m IHm]; cbn [fold_right].
    - change (mono_val []) with 1. ring.
    - rewrite mono_insert_val, IHm.
      change (mono_val (x :: m)) with (Z.of_nat (atom_val x) * mono_val m). ring.
  Qed.

  Lemma cons_term_val m c p : poly_val (cons_term m c p) = mono_val m * c + poly_val p.
  Proof.
    unfold cons_term. destruct (Z.eqb_spec c 0) as [c_zero|]; [|reflexivity].
    rewrite c_zero. ring.
  Qed.

  Lemma add_term_val m c p : poly_val (add_term m c p) = mono_val m * c + poly_val p.
  Proof.
    induction p as [|[n d] p IHp]; cbn [add_term].
    - apply cons_term_val.
    - destruct (mono_compare m n) eqn:order; rewrite ?cons_term_val, ?poly_val_cons, ?IHp.
      + rewrite (mono_compare_eq _ _ order). ring.
      + ring.
      + ring.
  Qed.

  Lemma poly_add_val p q : poly_val (poly_add p q) = poly_val p + poly_val q.
  Proof.
    induction p as [|[m c] p IHp]; [reflexivity|].
    change (poly_add ((m, c) :: p) q) with (add_term m c (poly_add p q)).
    rewrite add_term_val, poly_val_cons, IHp. ring.
  Qed.

  Lemma term_mul_val m c p : poly_val (term_mul m c p) = mono_val m * c * poly_val p.
  Proof.
    induction p as [|[n d] p IHp].
    - simpl. ring.
    - change (term_mul m c ((n, d) :: p))
        with (add_term (mono_mul m n) (c * d) (term_mul m c p)).
      rewrite add_term_val, mono_mul_val, poly_val_cons, IHp. ring.
  Qed.

  Lemma poly_mul_val p q : poly_val (poly_mul p q) = poly_val p * poly_val q.
  Proof.
    induction p as [|[m c] p IHp]; [reflexivity|].
    change (poly_mul ((m, c) :: p) q) with (poly_add (term_mul m c q) (poly_mul p q)).
    rewrite poly_add_val, term_mul_val, poly_val_cons, IHp. ring.
  Qed.

  Lemma poly_const_val c : poly_val (poly_const c) = c.
  Proof. unfold poly_const. rewrite cons_term_val. change (1 * c + 0 = c). ring. Qed.

  Lemma poly_sub_val p q : poly_val (poly_sub p q) = poly_val p - poly_val q.
  Proof.
    unfold poly_sub. rewrite poly_add_val, term_mul_val.
    change (mono_val []) with 1. ring.
  Qed.

  Lemma poly_atom_val a : poly_val (poly_atom a) = Z.of_nat (atom_val a).
  Proof. simpl. ring. Qed.

  Lemma poly_left_val a d b : poly_val (poly_left a d b) = poly_val a - Zpos d * poly_val b.
  Proof.
    unfold poly_left. rewrite poly_sub_val, term_mul_val. change (mono_val []) with 1. ring.
  Qed.

  Lemma part_poly_val p v : poly_val (part_poly p v) = Z.of_nat (part_val p (sg v)).
  Proof.
    destruct p as [d|d|d c|d]; cbn [part_poly]; try apply poly_atom_val;
      rewrite poly_left_val, !poly_atom_val; cbn [atom_val part_val]; generalize (sg v); intros x;
      assert (d_pos := Pos2Nat.is_pos d); rewrite <- (positive_nat_Z d) || idtac.
    - pose proof (Nat.div_mod x (Pos.to_nat d) ltac:(lia)). nia.
    - assert (c_pos := Pos2Nat.is_pos c).
      rewrite Pos2Nat.inj_mul, <- Nat.div_div, <- (positive_nat_Z c) by lia.
      pose proof (Nat.div_mod (x / Pos.to_nat d) (Pos.to_nat c) ltac:(lia)). nia.
  Qed.

  Lemma norm_val s : poly_val (norm s) = Z.of_nat (size_val sg s).
  Proof.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; cbn [norm size_val].
    - apply poly_atom_val.
    - rewrite poly_const_val. symmetry. apply N_nat_Z.
    - rewrite poly_add_val, IHa, IHb. lia.
    - rewrite poly_mul_val, IHa, IHb. lia.
    - apply part_poly_val.
  Qed.

  Lemma size_eqb_sound a b : size_eqb a b = true -> size_val sg a = size_val sg b.
  Proof.
    unfold size_eqb. destruct (poly_eq_dec (norm a) (norm b)) as [same|]; [|discriminate].
    intros _. apply Nat2Z.inj. rewrite <- !norm_val, same. reflexivity.
  Qed.

  Lemma mono_val_nonneg m : 0 <= mono_val m.
  Proof.
    induction m as [|x m IHm]; [discriminate|].
    change (0 <= Z.of_nat (atom_val x) * mono_val m). apply Z.mul_nonneg_nonneg; lia.
  Qed.

  Lemma coeffs_nonneg_sound p : coeffs_nonneg p = true -> 0 <= poly_val p.
  Proof.
    induction p as [|[m c] p IHp]; [discriminate|].
    simpl coeffs_nonneg. rewrite andb_true_iff, Z.leb_le. intros [c_nonneg rest].
    rewrite poly_val_cons. pose proof (mono_val_nonneg m). specialize (IHp rest). nia.
  Qed.

  Lemma with_one_sound facts p : facts_hold sg facts -> with_one p facts = true -> 0 <= poly_val p.
  Proof.
    intros FACTS. unfold with_one. rewrite existsb_exists. intros [[a b] [assumed rest]].
    apply coeffs_nonneg_sound in rest. cbn [fst snd] in rest.
    rewrite !poly_sub_val, !norm_val in rest. specialize (FACTS a b assumed). lia.
  Qed.

  Lemma atom_facts_hold x : facts_hold sg (atom_facts x).
  Proof.
    intros a b here.
    destruct x as [v|v d|v d]; cbn [atom_facts] in here; [contradiction| |].
    - destruct here as [here|[]]; injection here as <- <-; unfold block; cbn [size_val part_val].
      rewrite positive_N_nat. generalize (sg v). intros n. assert (d_pos := Pos2Nat.is_pos d).
      pose proof (Nat.div_mod n (Pos.to_nat d) ltac:(lia)). lia.
    - destruct here as [here|[here|[]]]; injection here as <- <-; unfold block; cbn [size_val part_val];
        rewrite !positive_N_nat; generalize (sg v); intros n; assert (d_pos := Pos2Nat.is_pos d);
        revert d_pos; generalize (Pos.to_nat d); intros w d_pos; pose proof (Nat.mod_upper_bound n w ltac:(lia));
        set (r := (n mod w)%nat) in *.
      + pose proof (Nat.div_mod (r + (w - 1)) w ltac:(lia)).
        pose proof (Nat.mod_upper_bound (r + (w - 1)) w ltac:(lia)). lia.
      + assert ((r + (w - 1)) / w < 2)%nat by (apply Nat.div_lt_upper_bound; lia).
        destruct ((r + (w - 1)) / w)%nat as [|[|q]]; lia.
  Qed.

  Lemma digit_facts_hold x y : facts_hold sg (digit_facts x y).
  Proof.
    intros a b here. destruct x as [v|v d|v d]; try contradiction. destruct y as [w|w e|w e]; try contradiction.
    cbn [digit_facts] in here. destruct (N.pos e / N.pos d)%N as [|c]; [contradiction|].
    destruct ((v =? w)%nat && (d * c =? e)%positive) eqn:same; [|contradiction].
    apply andb_true_iff in same as [_ e_is]. apply Pos.eqb_eq in e_is. subst e.
    destruct here as [here|[]].
    assert (a_is := f_equal fst here). assert (b_is := f_equal snd here). cbn [fst snd] in a_is, b_is. subst a b.
    unfold block. cbn [size_val part_val]. rewrite N2Nat.inj_sub, !positive_N_nat, Pos2Nat.inj_mul.
    pose proof (Nat.mod_upper_bound (sg v / Pos.to_nat d) (Pos.to_nat c) ltac:(lia)) as below.
    revert below. generalize (sg v / Pos.to_nat d mod Pos.to_nat c)%nat (Pos.to_nat d) (Pos.to_nat c). intros r x z below.
    replace (x * z - x)%nat with (x * (z - 1))%nat by (rewrite Nat.mul_sub_distr_l, Nat.mul_1_r; reflexivity).
    apply Nat.mul_le_mono_l. lia.
  Qed.

  Lemma part_facts_hold p : facts_hold sg (part_facts p).
  Proof.
    intros a b here. unfold part_facts in here. apply in_app_iff in here as [here|here];
      apply in_flat_map in here as (x & _ & here).
    - exact (atom_facts_hold x a b here).
    - apply in_flat_map in here as (y & _ & here). exact (digit_facts_hold x y a b here).
  Qed.

  Lemma poly_nonneg_sound facts p :
    facts_hold sg facts -> poly_nonneg facts p = true -> 0 <= poly_val p.
  Proof.
    intros FACTS. unfold poly_nonneg. destruct (coeffs_nonneg p) eqn:plain.
    { intros _. exact (coeffs_nonneg_sound p plain). }
    destruct (with_one p facts) eqn:assumed.
    - intros _. exact (with_one_sound facts p FACTS assumed).
    - pose proof (part_facts_hold p) as PARTS. destruct (part_facts p) as [|f parts]; [discriminate|].
      revert PARTS. generalize (f :: parts). clear f parts. intros parts PARTS.
      destruct (with_one p parts) eqn:one; [intros _; exact (with_one_sound parts p PARTS one)|].
      rewrite existsb_exists. intros [[a b] [known rest]].
      apply (with_one_sound parts _ PARTS) in rest. cbn [fst snd] in rest.
      rewrite !poly_sub_val, !norm_val in rest. specialize (PARTS a b known). lia.
  Qed.

  Lemma size_leb_sound facts a b :
    facts_hold sg facts -> size_leb facts a b = true -> (size_val sg a <= size_val sg b)%nat.
  Proof.
    intros FACTS leb. apply (poly_nonneg_sound _ _ FACTS) in leb.
    rewrite poly_sub_val, !norm_val in leb. lia.
  Qed.
End SOUNDNESS.
