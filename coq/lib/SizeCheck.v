(** Deciding equations and inequations between sizes by polynomial normal form.

    [poly]          polynomials with integer coefficients, monomials sorted
    [norm]          normal form of a size
    [size_eqb]      equal normal forms; sound by [size_eqb_sound]
    [poly_nonneg]   every coefficient is non-negative, or becomes so after
                    one assumed fact is subtracted; sound by [poly_nonneg_sound]
    [size_leb]      sound by [size_leb_sound] *)

From Coq Require Import ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size.
Import ListNotations.
Local Open Scope Z_scope.

Definition mono : Type := list nat.
Definition poly : Type := list (mono * Z).

Fixpoint mono_compare (m n : mono) : comparison :=
  match m, n with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: m', y :: n' =>
      match Nat.compare x y with Eq => mono_compare m' n' | c => c end
  end.

Fixpoint mono_insert (x : nat) (m : mono) : mono :=
  match m with
  | [] => [x]
  | y :: r => if Nat.leb x y then x :: m else y :: mono_insert x r
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

Fixpoint norm (s : size) : poly :=
  match s with
  | SVar v => [([v], 1)]
  | SConst c => poly_const (Z.of_N c)
  | SAdd a b => poly_add (norm a) (norm b)
  | SMul a b => poly_mul (norm a) (norm b)
  end.

Definition poly_eq_dec : forall p q : poly, {p = q} + {p <> q}.
Proof.
  apply list_eq_dec. decide equality.
  - apply Z.eq_dec.
  - apply list_eq_dec, Nat.eq_dec.
Defined.

Definition size_eqb (a b : size) : bool :=
  if poly_eq_dec (norm a) (norm b) then true else false.

Definition coeffs_nonneg (p : poly) : bool := forallb (fun t => 0 <=? snd t) p.

Definition poly_nonneg (facts : list fact) (p : poly) : bool :=
  coeffs_nonneg p ||
  existsb
    (fun f => coeffs_nonneg (poly_sub p (poly_sub (norm (snd f)) (norm (fst f))))) facts.

Definition size_leb (facts : list fact) (a b : size) : bool :=
  poly_nonneg facts (poly_sub (norm b) (norm a)).

Section SOUNDNESS.
  Context (sg : nat -> nat).

  Definition mono_val (m : mono) : Z := fold_right (fun x r => Z.of_nat (sg x) * r) 1 m.
  Definition poly_val (p : poly) : Z :=
    fold_right (fun t r => mono_val (fst t) * snd t + r) 0 p.

  Lemma poly_val_cons m c p : poly_val ((m, c) :: p) = mono_val m * c + poly_val p.
  Proof. reflexivity. Qed.

  Lemma mono_compare_eq m : forall n, mono_compare m n = Eq -> m = n.
  Proof.
    induction m as [|x m IHm]; intros [|y n]; simpl; try discriminate; auto.
    destruct (Nat.compare_spec x y) as [x_eq_y| |]; try discriminate.
    intros same. rewrite x_eq_y, (IHm n same). reflexivity.
  Qed.

  Lemma mono_insert_val x m : mono_val (mono_insert x m) = Z.of_nat (sg x) * mono_val m.
  Proof.
    induction m as [|y m IHm]; [reflexivity|].
    cbn [mono_insert]. destruct (Nat.leb x y); [reflexivity|].
    change (Z.of_nat (sg y) * mono_val (mono_insert x m)
            = Z.of_nat (sg x) * (Z.of_nat (sg y) * mono_val m)).
    rewrite IHm. ring.
  Qed.

  Lemma mono_mul_val m n : mono_val (mono_mul m n) = mono_val m * mono_val n.
  Proof.
    unfold mono_mul. induction m as [|x m IHm]; cbn [fold_right].
    - change (mono_val []) with 1. ring.
    - rewrite mono_insert_val, IHm.
      change (mono_val (x :: m)) with (Z.of_nat (sg x) * mono_val m). ring.
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

  Lemma norm_val s : poly_val (norm s) = Z.of_nat (size_val sg s).
  Proof.
    induction s as [v|c|a IHa b IHb|a IHa b IHb]; cbn [norm size_val].
    - simpl. ring.
    - rewrite poly_const_val. symmetry. apply N_nat_Z.
    - rewrite poly_add_val, IHa, IHb. lia.
    - rewrite poly_mul_val, IHa, IHb. lia.
  Qed.

  Lemma size_eqb_sound a b : size_eqb a b = true -> size_val sg a = size_val sg b.
  Proof.
    unfold size_eqb. destruct (poly_eq_dec (norm a) (norm b)) as [same|]; [|discriminate].
    intros _. apply Nat2Z.inj. rewrite <- !norm_val, same. reflexivity.
  Qed.

  Lemma mono_val_nonneg m : 0 <= mono_val m.
  Proof.
    induction m as [|x m IHm]; [discriminate|].
    change (0 <= Z.of_nat (sg x) * mono_val m). apply Z.mul_nonneg_nonneg; lia.
  Qed.

  Lemma coeffs_nonneg_sound p : coeffs_nonneg p = true -> 0 <= poly_val p.
  Proof.
    induction p as [|[m c] p IHp]; [discriminate|].
    simpl coeffs_nonneg. rewrite andb_true_iff, Z.leb_le. intros [c_nonneg rest].
    rewrite poly_val_cons. pose proof (mono_val_nonneg m). specialize (IHp rest). nia.
  Qed.

  Lemma poly_nonneg_sound facts p :
    facts_hold sg facts -> poly_nonneg facts p = true -> 0 <= poly_val p.
  Proof.
    intros FACTS. unfold poly_nonneg. rewrite orb_true_iff, existsb_exists.
    intros [plain | [[a b] [assumed rest]]]; [exact (coeffs_nonneg_sound p plain)|].
    apply coeffs_nonneg_sound in rest. simpl in rest.
    rewrite !poly_sub_val, !norm_val in rest. specialize (FACTS a b assumed). lia.
  Qed.

  Lemma size_leb_sound facts a b :
    facts_hold sg facts -> size_leb facts a b = true -> (size_val sg a <= size_val sg b)%nat.
  Proof.
    intros FACTS leb. apply (poly_nonneg_sound _ _ FACTS) in leb.
    rewrite poly_sub_val, !norm_val in leb. lia.
  Qed.
End SOUNDNESS.
