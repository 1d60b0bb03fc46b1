(** Equal index terms, decided by normal form.

    Index terms denote natural numbers, where differences stop at zero. The normal form is a
    sum of products of atoms with positive coefficients; atoms are index variables, sizes,
    and differences, quotients and remainders of normal forms. What two sides of a difference
    have in common goes; a / b * b + a mod b becomes a, if b is one product; and (a - b) + b
    becomes a, if the difference is one that is known not to stop at zero. Where that does not
    tell, a - b - c is read as a - (b + c), which may leave less but hides a - b.

    [index_sum]    the normal form of an index term
    [merged]       differences of differences as one
    [index_same]   equal normal forms; sound by [index_same_sound] *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
Import ListNotations.

Definition ixe_eq_dec (a b : ixe) : {a = b} + {a <> b}.
Proof. decide equality; [apply Nat.eq_dec | apply size_eq_dec]. Defined.

(** Products are sorted, sums too. *)
Definition product : Type := list ixe.
Definition sum : Type := list (product * N).

Definition product_eq_dec : forall p q : product, {p = q} + {p <> q} := list_eq_dec ixe_eq_dec.

Definition then_order (o o1 : comparison) : comparison :=
  match o with Eq => o1 | Lt | Gt => o end.

Definition part_order (p q : part) : comparison :=
  match p, q with
  | Quot d, Quot e => Pos.compare d e
  | Quot _, _ => Lt
  | _, Quot _ => Gt
  | Rem d, Rem e => Pos.compare d e
  | Rem _, _ => Lt
  | _, Rem _ => Gt
  | Digit d c, Digit e b => then_order (Pos.compare d e) (Pos.compare c b)
  | Digit _ _, _ => Lt
  | _, Digit _ _ => Gt
  | Started d, Started e => Pos.compare d e
  end.

Fixpoint size_order (a b : size) : comparison :=
  match a, b with
  | SPart p v, SPart q w => then_order (part_order p q) (Nat.compare v w)
  | SPart _ _, _ => Gt
  | _, SPart _ _ => Lt
  | SVar v, SVar w => Nat.compare v w
  | SVar _, _ => Lt
  | _, SVar _ => Gt
  | SConst c, SConst d => N.compare c d
  | SConst _, _ => Lt
  | _, SConst _ => Gt
  | SAdd a1 a2, SAdd b1 b2 => then_order (size_order a1 b1) (size_order a2 b2)
  | SAdd _ _, _ => Lt
  | _, SAdd _ _ => Gt
  | SMul a1 a2, SMul b1 b2 => then_order (size_order a1 b1) (size_order a2 b2)
  end.

Definition ixe_rank (e : ixe) : nat :=
  match e with
  | XVar _ => 0 | XSize _ => 1 | XAdd _ _ => 2 | XSub _ _ => 3 | XMul _ _ => 4
  | XDiv _ _ => 5 | XMod _ _ => 6
  end.

Fixpoint ixe_order (a b : ixe) : comparison :=
  match a, b with
  | XVar i, XVar j => Nat.compare i j
  | XSize s, XSize t => size_order s t
  | XAdd a1 a2, XAdd b1 b2 | XSub a1 a2, XSub b1 b2 | XMul a1 a2, XMul b1 b2
  | XDiv a1 a2, XDiv b1 b2 | XMod a1 a2, XMod b1 b2 =>
      then_order (ixe_order a1 b1) (ixe_order a2 b2)
  | _, _ => Nat.compare (ixe_rank a) (ixe_rank b)
  end.

Fixpoint product_order (p q : product) : comparison :=
  match p, q with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: p1, y :: q1 => then_order (ixe_order x y) (product_order p1 q1)
  end.

Definition in_order (o : comparison) : bool := match o with Gt => false | Eq | Lt => true end.

Fixpoint insert (x : ixe) (p : product) : product :=
  match p with
  | [] => [x]
  | y :: r => if in_order (ixe_order x y) then x :: p else y :: insert x r
  end.

Definition product_mul (p q : product) : product := fold_right insert q p.

Fixpoint add_term (p : product) (c : N) (s : sum) : sum :=
  match s with
  | [] => [(p, c)]
  | (q, d) :: r =>
      if product_eq_dec p q then (q, (c + d)%N) :: r
      else if in_order (product_order p q) then (p, c) :: s else (q, d) :: add_term p c r
  end.

Definition sum_add (s t : sum) : sum :=
  fold_right (fun u r => add_term (fst u) (snd u) r) t s.

Definition term_mul (p : product) (c : N) (s : sum) : sum :=
  fold_right (fun u r => add_term (product_mul p (fst u)) (c * snd u)%N r) [] s.

Definition sum_mul (s t : sum) : sum :=
  fold_right (fun u r => sum_add (term_mul (fst u) (snd u) t) r) [] s.

Definition sum_const (c : N) : sum := if N.eqb c 0 then [] else [([], c)].
Definition sum_atom (e : ixe) : sum := [([e], 1%N)].

(** Takes at most c times p out of s: what is left of c, what is left of s. *)
Fixpoint take (p : product) (c : N) (s : sum) : N * sum :=
  match s with
  | [] => (c, [])
  | (q, d) :: r =>
      if product_eq_dec p q
      then if N.leb d c then ((c - d)%N, r) else (0%N, (q, (d - c)%N) :: r)
      else let (left, rest) := take p c r in (left, (q, d) :: rest)
  end.

(** Both without what they have in common. *)
Fixpoint cancel (s t : sum) : sum * sum :=
  match s with
  | [] => ([], t)
  | (p, c) :: r =>
      let (left, t1) := take p c t in
      let (r1, t2) := cancel r t1 in
      (if N.eqb left 0 then r1 else (p, left) :: r1, t2)
  end.

Definition product_index (p : product) : ixe := fold_right XMul (XSize (SConst 1)) p.

Definition sum_index (s : sum) : ixe :=
  fold_right (fun u r => XAdd (XMul (XSize (SConst (snd u))) (product_index (fst u))) r)
    (XSize (SConst 0)) s.

Definition sum_sub (s t : sum) : sum :=
  match cancel s t with
  | (s1, []) => s1
  | (s1, t1) => sum_atom (XSub (sum_index s1) (sum_index t1))
  end.

(** Normal forms of atoms, read back. *)

Fixpoint factors (e : ixe) : product :=
  match e with
  | XMul x r => x :: factors r
  | XSize (SConst 1) => []
  | _ => [e]
  end.

Fixpoint terms (e : ixe) : sum :=
  match e with
  | XAdd (XMul (XSize (SConst c)) p) r => (factors p, c) :: terms r
  | XSize (SConst 0) => []
  | _ => [(factors e, 1%N)]
  end.

(** The first remainder a mod b in a product, and the other factors. *)
Fixpoint find_remainder (p : product) : option (ixe * ixe * product) :=
  match p with
  | [] => None
  | XMod a b :: r => Some (a, b, r)
  | x :: r =>
      match find_remainder r with
      | Some (a, b, others) => Some (a, b, x :: others)
      | None => None
      end
  end.

(** c times p and s, if p has a remainder whose quotient is in s. *)
Definition restore_term (p : product) (c : N) (s : sum) : option sum :=
  match find_remainder p with
  | Some (a, b, others) =>
      match terms b with
      | [(q, d)] =>
          match take (product_mul (insert (XDiv a b) others) q) (c * d)%N s with
          | (0%N, rest) => Some (sum_add (term_mul others c (terms a)) rest)
          | _ => None
          end
      | _ => None
      end
  | None => None
  end.

(** The first factor of a product that is in the list, and the other factors. *)
Fixpoint find_known (known : list ixe) (p : product) : option (ixe * product) :=
  match p with
  | [] => None
  | x :: r =>
      if in_dec ixe_eq_dec x known then Some (x, r) else
      match find_known known r with
      | Some (y, others) => Some (y, x :: others)
      | None => None
      end
  end.

(** c times p and s, if p has a known difference and what it takes away is in s. *)
Definition restore_difference (known : list ixe) (p : product) (c : N) (s : sum) : option sum :=
  match find_known known p with
  | Some (XSub a b, others) =>
      match cancel (term_mul others c (terms b)) s with
      | ([], rest) => Some (sum_add (term_mul others c (terms a)) rest)
      | _ => None
      end
  | _ => None
  end.

Fixpoint restore_one (known : list ixe) (before s : sum) : option sum :=
  match s with
  | [] => None
  | (p, c) :: r =>
      let others := sum_add before r in
      match restore_term p c others with
      | Some s1 => Some s1
      | None =>
          match restore_difference known p c others with
          | Some s1 => Some s1
          | None => restore_one known (add_term p c before) r
          end
      end
  end.

Fixpoint restore (known : list ixe) (fuel : nat) (s : sum) : sum :=
  match fuel with
  | 0 => s
  | S n => match restore_one known [] s with Some s1 => restore known n s1 | None => s end
  end.

(** As the normal form of [part_index]. *)
Definition part_sum (p : part) (v : nat) : sum :=
  let all := sum_index (sum_atom (XSize (SVar v))) in
  let by_number d := sum_index (sum_const (Npos d)) in
  match p with
  | Quot d => sum_atom (XDiv all (by_number d))
  | Rem d => sum_atom (XMod all (by_number d))
  | Digit d c => sum_atom (XMod (sum_index (sum_atom (XDiv all (by_number d)))) (by_number c))
  | Started d =>
      sum_atom (XDiv (sum_index (sum_add (sum_atom (XMod all (by_number d))) (sum_const (N.pred (Npos d))))) (by_number d))
  end.

Fixpoint size_sum (s : size) : sum :=
  match s with
  | SVar _ => sum_atom (XSize s)
  | SConst c => sum_const c
  | SAdd a b => sum_add (size_sum a) (size_sum b)
  | SMul a b => sum_mul (size_sum a) (size_sum b)
  | SPart p v => part_sum p v
  end.

Fixpoint merged (e : ixe) : ixe :=
  match e with
  | XVar _ | XSize _ => e
  | XAdd a b => XAdd (merged a) (merged b)
  | XSub a b =>
      match merged a with
      | XSub x y => XSub x (XAdd y (merged b))
      | a1 => XSub a1 (merged b)
      end
  | XMul a b => XMul (merged a) (merged b)
  | XDiv a b => XDiv (merged a) (merged b)
  | XMod a b => XMod (merged a) (merged b)
  end.

Definition sum_same (s t : sum) : bool :=
  match cancel s t with ([], []) => true | _ => false end.

Section KNOWN.
  (** Differences that are known not to stop at zero, as [difference] gives them. *)
  Context (known : list ixe).

  Fixpoint index_sum (e : ixe) : sum :=
    match e with
    | XVar _ => sum_atom e
    | XSize s => size_sum s
    | XAdd a b => restore known 4 (sum_add (index_sum a) (index_sum b))
    | XSub a b => sum_sub (index_sum a) (index_sum b)
    | XMul a b => sum_mul (index_sum a) (index_sum b)
    | XDiv a b => sum_atom (XDiv (sum_index (index_sum a)) (sum_index (index_sum b)))
    | XMod a b => sum_atom (XMod (sum_index (index_sum a)) (sum_index (index_sum b)))
    end.

  Definition index_same (a b : ixe) : bool :=
    sum_same (index_sum a) (index_sum b) || sum_same (index_sum (merged a)) (index_sum (merged b)).

  (** The atom of a - b, known from now on. *)
  Definition difference (a b : ixe) : list ixe :=
    match cancel (index_sum a) (index_sum b) with
    | (_, []) => known
    | (s, t) => XSub (sum_index s) (sum_index t) :: known
    end.
End KNOWN.

Section SOUNDNESS.
  Context (sg ie : nat -> nat).

  Definition product_val (p : product) : nat :=
    fold_right (fun e r => ixe_val sg ie e * r) 1 p.

  Definition sum_val (s : sum) : nat :=
    fold_right (fun u r => N.to_nat (snd u) * product_val (fst u) + r) 0 s.

  Lemma sum_val_cons p c s : sum_val ((p, c) :: s) = N.to_nat c * product_val p + sum_val s.
  Proof. reflexivity. Qed.

  Lemma insert_val x p : product_val (insert x p) = ixe_val sg ie x * product_val p.
  Proof.
    induction p as [|y p IHp]; [reflexivity|]. cbn [insert].
    destruct (in_order (ixe_order x y)); [reflexivity|].
    change (ixe_val sg ie y * product_val (insert x p) =
            ixe_val sg ie x * (ixe_val sg ie y * product_val p)).
    rewrite IHp. ring.
  Qed.

  Lemma product_mul_val p q : product_val (product_mul p q) = product_val p * product_val q.
  Proof.
    induction p as [|x p IHp]; [symmetry; apply Nat.mul_1_l|].
    change (product_val (insert x (product_mul p q)) =
            ixe_val sg ie x * product_val p * product_val q).
    rewrite insert_val, IHp. ring.
  Qed.

  Lemma add_term_val p c s : sum_val (add_term p c s) = N.to_nat c * product_val p + sum_val s.
  Proof.
    induction s as [|[q d] s IHs]; [reflexivity|]. cbn [add_term].
    destruct (product_eq_dec p q) as [same|].
    - rewrite !sum_val_cons, same, N2Nat.inj_add. ring.
    - destruct (in_order (product_order p q)); rewrite !sum_val_cons, ?IHs; ring.
  Qed.

  Lemma sum_add_val s t : sum_val (sum_add s t) = sum_val s + sum_val t.
  Proof.
    induction s as [|[p c] s IHs]; [reflexivity|].
    change (sum_val (add_term p c (sum_add s t)) = sum_val ((p, c) :: s) + sum_val t).
    rewrite add_term_val, sum_val_cons, IHs. ring.
  Qed.

  Lemma term_mul_val p c s : sum_val (term_mul p c s) = N.to_nat c * product_val p * sum_val s.
  Proof.
    induction s as [|[q d] s IHs]; [simpl; ring|].
    change (sum_val (add_term (product_mul p q) (c * d)%N (term_mul p c s)) =
            N.to_nat c * product_val p * sum_val ((q, d) :: s)).
    rewrite add_term_val, product_mul_val, N2Nat.inj_mul, sum_val_cons, IHs. ring.
  Qed.

  Lemma sum_mul_val s t : sum_val (sum_mul s t) = sum_val s * sum_val t.
  Proof.
    induction s as [|[p c] s IHs]; [reflexivity|].
    change (sum_val (sum_add (term_mul p c t) (sum_mul s t)) =
            sum_val ((p, c) :: s) * sum_val t).
    rewrite sum_add_val, term_mul_val, sum_val_cons, IHs. ring.
  Qed.

  Lemma sum_const_val c : sum_val (sum_const c) = N.to_nat c.
  Proof.
    unfold sum_const. destruct (N.eqb_spec c 0) as [c_zero|].
    - rewrite c_zero. reflexivity.
    - simpl. lia.
  Qed.

  Lemma sum_atom_val e : sum_val (sum_atom e) = ixe_val sg ie e.
  Proof. simpl. lia. Qed.

  Lemma take_val p c s : let (left, rest) := take p c s in
    exists t, N.to_nat c = N.to_nat left + t /\ sum_val s = t * product_val p + sum_val rest.
  Proof.
    induction s as [|[q d] s IHs]; cbn [take].
    - exists 0. simpl. lia.
    - destruct (product_eq_dec p q) as [same|].
      + rewrite sum_val_cons, <- same. destruct (N.leb_spec d c) as [below|above].
        * exists (N.to_nat d). split; [lia | reflexivity].
        * exists (N.to_nat c). split; [reflexivity|]. rewrite sum_val_cons.
          replace (N.to_nat d) with (N.to_nat c + N.to_nat (d - c)) by lia. ring.
      + destruct (take p c s) as [left rest]. destruct IHs as (t & c_is & s_is).
        exists t. rewrite !sum_val_cons, s_is. split; [exact c_is | ring].
  Qed.

  Lemma cancel_val s : forall t, let (s1, t1) := cancel s t in
    exists common, sum_val s = common + sum_val s1 /\ sum_val t = common + sum_val t1.
  Proof.
    induction s as [|[p c] s IHs]; intros t; cbn [cancel]; [exists 0; auto|].
    pose proof (take_val p c t) as TAKE. destruct (take p c t) as [left t1].
    destruct TAKE as (taken & c_is & t_is).
    specialize (IHs t1). destruct (cancel s t1) as [s1 t2].
    destruct IHs as (common & s_is & t1_is).
    exists (taken * product_val p + common). rewrite sum_val_cons, c_is, s_is, t_is, t1_is.
    split; [|ring]. destruct (N.eqb_spec left 0) as [left_zero|].
    - rewrite left_zero. simpl. ring.
    - rewrite sum_val_cons. ring.
  Qed.

  Lemma sum_same_val s t : sum_same s t = true -> sum_val s = sum_val t.
  Proof.
    unfold sum_same. pose proof (cancel_val s t) as BOTH.
    destruct (cancel s t) as [[|u s1] [|v t1]]; try discriminate.
    intros _. destruct BOTH as (common & s_is & t_is). rewrite s_is, t_is. reflexivity.
  Qed.

  Lemma merged_val e : ixe_val sg ie (merged e) = ixe_val sg ie e.
  Proof.
    induction e as [i|z|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [merged ixe_val]; rewrite <- ?IHa, <- ?IHb; try reflexivity.
    destruct (merged a) as [i|z|x y|x y|x y|x y|x y]; try reflexivity.
    cbn [ixe_val]. apply Nat.sub_add_distr.
  Qed.

  Lemma product_index_val p : ixe_val sg ie (product_index p) = product_val p.
  Proof. induction p as [|x p IHp]; simpl; [reflexivity | rewrite IHp; reflexivity]. Qed.

  Lemma sum_index_val s : ixe_val sg ie (sum_index s) = sum_val s.
  Proof.
    induction s as [|[p c] s IHs]; [reflexivity|].
    change (N.to_nat c * ixe_val sg ie (product_index p) + ixe_val sg ie (sum_index s) =
            sum_val ((p, c) :: s)).
    rewrite product_index_val, IHs. reflexivity.
  Qed.

  Lemma sum_sub_val s t : sum_val (sum_sub s t) = sum_val s - sum_val t.
  Proof.
    unfold sum_sub. pose proof (cancel_val s t) as BOTH.
    destruct (cancel s t) as [s1 t1]. destruct BOTH as (common & s_is & t_is).
    destruct t1 as [|u t1].
    - change (sum_val []) with 0 in t_is. lia.
    - rewrite sum_atom_val. cbn [ixe_val]. rewrite !sum_index_val. lia.
  Qed.

  Lemma factors_val e : product_val (factors e) = ixe_val sg ie e.
  Proof.
    induction e as [i|z|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      try apply Nat.mul_1_r.
    - destruct z as [v|[|[c|c|]]|y z|y z|p v]; try apply Nat.mul_1_r. reflexivity.
    - simpl. rewrite IHb. reflexivity.
  Qed.

  Lemma terms_val e : sum_val (terms e) = ixe_val sg ie e.
  Proof.
    assert (WHOLE : forall e1, sum_val [(factors e1, 1%N)] = ixe_val sg ie e1).
    { intros e1. rewrite sum_val_cons, factors_val. simpl. lia. }
    induction e as [i|z|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      try apply WHOLE.
    - destruct z as [v|[|c]|y z|y z|p v]; try apply WHOLE. reflexivity.
    - destruct a as [i|z|a1 a2|a1 a2|a1 p|a1 a2|a1 a2]; try apply WHOLE.
      destruct a1 as [i|z|b1 b2|b1 b2|b1 b2|b1 b2|b1 b2]; try apply WHOLE.
      destruct z as [v|c|y z|y z|q v]; try apply WHOLE. cbn [terms].
      rewrite sum_val_cons, factors_val, IHb. reflexivity.
  Qed.

  Lemma find_remainder_val p a b others : find_remainder p = Some (a, b, others) ->
    product_val p = (ixe_val sg ie a mod ixe_val sg ie b) * product_val others.
  Proof.
    revert others. induction p as [|x p IHp]; intros others; [discriminate|].
    assert (LATER : match find_remainder p with
                    | Some (a1, b1, r) => Some (a1, b1, x :: r)
                    | None => None
                    end = Some (a, b, others) ->
            product_val (x :: p) = (ixe_val sg ie a mod ixe_val sg ie b) * product_val others).
    { destruct (find_remainder p) as [[[a1 b1] r]|]; [|discriminate].
      intros found. injection found as a_is b_is others_is. rewrite a_is, b_is in IHp.
      change (ixe_val sg ie x * product_val p =
              (ixe_val sg ie a mod ixe_val sg ie b) * product_val others).
      rewrite (IHp r eq_refl), <- others_is.
      change (product_val (x :: r)) with (ixe_val sg ie x * product_val r). ring. }
    destruct x; try exact LATER. cbn [find_remainder].
    intros found. injection found as a_is b_is others_is.
    rewrite a_is, b_is, others_is. reflexivity.
  Qed.

  Lemma restore_term_val p c s s1 : restore_term p c s = Some s1 ->
    sum_val s1 = N.to_nat c * product_val p + sum_val s.
  Proof.
    unfold restore_term. destruct (find_remainder p) as [[[a b] others]|] eqn:found;
      [|discriminate].
    rewrite (find_remainder_val p a b others found).
    pose proof (terms_val b) as b_is. destruct (terms b) as [|[q d] [|u r]]; try discriminate.
    pose proof (take_val (product_mul (insert (XDiv a b) others) q) (c * d)%N s) as TAKE.
    destruct (take _ _ s) as [[|left] rest]; [|discriminate].
    destruct TAKE as (taken & taken_is & s_is).
    intros done. injection done as s1_is. rewrite <- s1_is.
    rewrite sum_add_val, term_mul_val, terms_val, s_is.
    rewrite product_mul_val, insert_val. cbn [ixe_val].
    rewrite N2Nat.inj_mul in taken_is. simpl in taken_is. rewrite <- taken_is.
    rewrite sum_val_cons in b_is. simpl in b_is. rewrite Nat.add_0_r in b_is.
    set (x := ixe_val sg ie a) in *. set (y := ixe_val sg ie b) in *.
    pose proof (Nat.div_mod_eq x y) as x_is. rewrite <- b_is in x_is at 1.
    rewrite x_is at 1. ring.
  Qed.

  (** The difference does not stop at zero. *)
  Definition proper (e : ixe) : Prop :=
    match e with XSub a b => ixe_val sg ie b <= ixe_val sg ie a | _ => True end.

  Context (known : list ixe) (KNOWN : forall e, In e known -> proper e).

  Lemma find_known_val p e others : find_known known p = Some (e, others) ->
    In e known /\ product_val p = ixe_val sg ie e * product_val others.
  Proof using Type.
    revert others. induction p as [|x p IHp]; intros others; [discriminate|]. cbn [find_known].
    destruct (in_dec ixe_eq_dec x known) as [there|].
    - intros found. injection found as x_is others_is. rewrite <- x_is, <- others_is.
      split; [exact there | reflexivity].
    - destruct (find_known known p) as [[y r]|]; [|discriminate].
      intros found. injection found as y_is others_is. rewrite y_is in IHp.
      destruct (IHp r eq_refl) as [there p_is]. split; [exact there|]. rewrite <- others_is.
      change (ixe_val sg ie x * product_val p = ixe_val sg ie e * (ixe_val sg ie x * product_val r)).
      rewrite p_is. ring.
  Qed.

  Lemma restore_difference_val p c s s1 : restore_difference known p c s = Some s1 ->
    sum_val s1 = N.to_nat c * product_val p + sum_val s.
  Proof using KNOWN.
    unfold restore_difference. destruct (find_known known p) as [[e others]|] eqn:found;
      [|discriminate].
    destruct (find_known_val p e others found) as [there p_is]. rewrite p_is.
    apply KNOWN in there. destruct e as [| | |a b| | |]; try discriminate. simpl in there.
    pose proof (cancel_val (term_mul others c (terms b)) s) as BOTH.
    destruct (cancel _ s) as [[|u t1] rest]; [|discriminate].
    destruct BOTH as (common & b_is & s_is). rewrite term_mul_val, terms_val in b_is.
    intros done. injection done as s1_is. rewrite <- s1_is.
    rewrite sum_add_val, term_mul_val, terms_val, s_is. cbn [ixe_val].
    change (sum_val []) with 0 in b_is. rewrite Nat.add_0_r in b_is. rewrite <- b_is.
    set (x := ixe_val sg ie a) in *. set (y := ixe_val sg ie b) in *.
    replace x with (x - y + y) at 1 by lia. ring.
  Qed.

  Lemma restore_one_val s : forall before s1, restore_one known before s = Some s1 ->
    sum_val s1 = sum_val before + sum_val s.
  Proof using KNOWN.
    induction s as [|[p c] s IHs]; intros before s1; [discriminate|]. cbn [restore_one].
    destruct (restore_term p c (sum_add before s)) as [s2|] eqn:here.
    - intros done. injection done as s2_is. rewrite <- s2_is, sum_val_cons.
      rewrite (restore_term_val _ _ _ _ here), sum_add_val. lia.
    - destruct (restore_difference known p c (sum_add before s)) as [s2|] eqn:there.
      + intros done. injection done as s2_is. rewrite <- s2_is, sum_val_cons.
        rewrite (restore_difference_val _ _ _ _ there), sum_add_val. lia.
      + intros later. rewrite (IHs _ _ later), add_term_val, sum_val_cons. lia.
  Qed.

  Lemma restore_val fuel : forall s, sum_val (restore known fuel s) = sum_val s.
  Proof using KNOWN.
    induction fuel as [|n IHn]; intros s; [reflexivity|]. cbn [restore].
    destruct (restore_one known [] s) as [s1|] eqn:here; [|reflexivity].
    rewrite IHn, (restore_one_val s [] s1 here). reflexivity.
  Qed.

  Lemma size_sum_val s : sum_val (size_sum s) = size_val sg s.
  Proof.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; cbn [size_sum].
    - apply sum_atom_val.
    - apply sum_const_val.
    - rewrite sum_add_val, IHa, IHb. reflexivity.
    - rewrite sum_mul_val, IHa, IHb. reflexivity.
    - rewrite <- (part_index_val sg ie p v).
      destruct p as [d|d|d c|d]; cbn [part_sum part_index]; rewrite sum_atom_val; cbn [ixe_val];
        repeat rewrite ?sum_index_val, ?sum_add_val, ?sum_atom_val, ?sum_const_val; cbn [ixe_val];
        repeat rewrite ?sum_index_val, ?sum_atom_val, ?sum_const_val; reflexivity.
  Qed.

  Lemma index_sum_val e : sum_val (index_sum known e) = ixe_val sg ie e.
  Proof using KNOWN.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      cbn [index_sum ixe_val].
    - apply sum_atom_val.
    - apply size_sum_val.
    - rewrite restore_val, sum_add_val, IHa, IHb. reflexivity.
    - rewrite sum_sub_val, IHa, IHb. reflexivity.
    - rewrite sum_mul_val, IHa, IHb. reflexivity.
    - rewrite sum_atom_val. cbn [ixe_val]. rewrite !sum_index_val, IHa, IHb. reflexivity.
    - rewrite sum_atom_val. cbn [ixe_val]. rewrite !sum_index_val, IHa, IHb. reflexivity.
  Qed.

  Lemma index_same_sound a b : index_same known a b = true -> ixe_val sg ie a = ixe_val sg ie b.
  Proof using KNOWN.
    intros same. apply orb_true_iff in same as [same|same]; apply sum_same_val in same;
      rewrite !index_sum_val, ?merged_val in same; exact same.
  Qed.

  Lemma difference_known a b : ixe_val sg ie b <= ixe_val sg ie a ->
    forall e, In e (difference known a b) -> proper e.
  Proof using KNOWN.
    intros below. unfold difference.
    rewrite <- (index_sum_val a), <- (index_sum_val b) in below.
    pose proof (cancel_val (index_sum known a) (index_sum known b)) as BOTH.
    destruct (cancel (index_sum known a) (index_sum known b)) as [s1 [|u t1]]; [exact KNOWN|].
    destruct BOTH as (common & a_is & b_is). intros e [here|there]; [|apply KNOWN, there].
    rewrite <- here. cbn [proper]. rewrite !sum_index_val. lia.
  Qed.
End SOUNDNESS.
